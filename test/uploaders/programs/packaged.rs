use sluice_uploader::{entry, Error, Options, Uploader};

fn main() {
    if let Err(error) = run() {
        eprintln!("{error}");
        std::process::exit(1);
    }
}

/// Sends entries, and prints what became of them. Its arguments are the base URL, the domain, a file of certificates and
/// how many entries; `-` for none.
fn run() -> Result<(), Error> {
    let args: Vec<String> = std::env::args().collect();
    let given = |at: usize| Some(args[at].clone()).filter(|arg| arg != "-");
    let uploader = Uploader::new(Options {
        base_url: args[1].clone(),
        domain: given(2),
        ca: given(3).map(Into::into),
        ..Options::default()
    })?;
    let first: i64 = args[4].parse().unwrap();
    for n in first..first + 10 {
        uploader.send(&entry! { "n": n, "text": "x".repeat(200) })?;
    }
    println!("{:?}", uploader.counts());
    uploader.close()?;
    println!("{:?}", uploader.counts());
    Ok(())
}
