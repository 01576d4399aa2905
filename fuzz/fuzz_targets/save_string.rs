//! Any definitions and any string of them: it is read or refused, and what was read is written and read again as the same.

#![no_main]

use libfuzzer_sys::fuzz_target;
use vivarium_world::save::Definitions;

fuzz_target!(|text: &str| {
    let Some((written, string)) = text.split_once('\n') else { return };
    // libFuzzer finds strings faster than definitions, so an empty line stands for one of every kind.
    let usual = r#"{"0":{"types":["a","b"],"properties":[{"name":"u","type":"uint"},{"name":"i","type":"int","step":0.5,
        "offset":3,"decimals":2},{"name":"b","type":"boolean"},{"name":"f","type":"float32"},{"name":"t","type":"string"}]}}"#;
    let written = if written.is_empty() { usual } else { written };
    let Ok(definitions) = json::<Definitions>(written) else { return };
    let Ok(config) = definitions.decode(string) else { return };
    let mut again = String::new();
    if definitions.encode(&config, &mut again).is_some() {
        assert_eq!(definitions.decode(&again), Ok(config));
    }
});

fn json<T: for<'de> serde::Deserialize<'de>>(text: &str) -> Result<T, serde_json::Error> {
    serde_json::from_str(text)
}
