//! How large saves of the samples are: `cargo run --release -p vivarium-samples --example save_sizes [-- TICKS]`.
//!
//! JSON is the plain save without spaces and line breaks, so that nothing is compared with indentation.

use vivarium_world::{LoadOptions, SaveForm, World, WorldOptions};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let ticks = std::env::args().nth(1).map_or(Ok(600), |ticks| ticks.parse())?;
    println!(
        "| sample | entities | JSON | JSON, zstd 3 | compressed save | with zstd 3 | bytes per entity: JSON | zstd 3 | compressed |"
    );
    println!("|---|---|---|---|---|---|---|---|---|");
    for scene in vivarium_samples::scenes() {
        let mut world = World::new(&vivarium_samples::catalog(), WorldOptions::default())?;
        world.load(scene.name, scene.text, &LoadOptions::default())?;
        (0..ticks).for_each(|_| world.step());
        let plain = world.save(SaveForm::Plain)?;
        let json = serde_json::to_string(&serde_json::from_str::<serde_json::Value>(&plain)?)?;
        let compressed = world.save(SaveForm::Compressed)?;
        let zstd = |text: &str| zstd::encode_all(text.as_bytes(), 3).map(|bytes| bytes.len());
        let (json_zstd, compressed_zstd) = (zstd(&json)?, zstd(&compressed)?);
        let entities = world.len().max(1) as f64;
        let each = |bytes: usize| bytes as f64 / entities;
        println!(
            "| {} | {} | {} | {json_zstd} | {} | {compressed_zstd} | {:.1} | {:.1} | {:.1} |",
            scene.name,
            world.len(),
            json.len(),
            compressed.len(),
            each(json.len()),
            each(json_zstd),
            each(compressed.len()),
        );
    }
    Ok(())
}
