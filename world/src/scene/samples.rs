//! A scene that says everything a scene can say, for tests.

pub(super) const HARBOR: &str = r##"{
  "vivarium": 1, "name": "Harbor", "about": "Ships come and go.",
  "random": { "seed": 1234 }, "scheduler": "conflict", "step": 16,
  "components": {
    "cargo": { "fields": [
      { "name": "ore", "type": "u32", "default": 5, "unit": "t", "range": [0, 100] },
      { "name": "tint", "type": "u32", "key": "colour", "role": "colour" } ], "load_keys": ["ore"] },
    "hull": { "fields": [{ "name": "width", "type": "f32" }] }
  },
  "classes": { "actor": ["health", "transform"] },
  "templates": {
    "guardian": { "class": "actor", "maxHealth": 100 }
  },
  "systems": [
    { "system": "movement", "every": 50, "batch": 1024, "params": { "damping": 0.99 } },
    { "system": "decay", "name": "rot", "enabled": false, "runs": 7, "accumulated": 12.5 }
  ],
  "bounds": [0, 0, 2400, 1600],
  "entityDefinitions": { "0": { "type": "grass", "properties": [] } },
  "entities": [
    "#g(q-!ok{)",
    { "type": "guardian", "x": 10, "maxHelth": 20 }
  ],
  "gameTime": 320, "playerTime": 400.5, "timeScale": 2, "tick": 20, "world": { "score": 3 }
}"##;
