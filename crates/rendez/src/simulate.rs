pub fn run(_: &crate::arguments::Simulate) -> u8 {
    0
}
