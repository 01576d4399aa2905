//! The inspector with the samples.

fn main() -> std::process::ExitCode {
    vivarium_app::run(vivarium_world::Catalog::new())
}
