//! The query language of entity lists, the journal, watches and assertions.
