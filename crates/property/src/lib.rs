//! Property languages. Knows no program: names are resolved by whoever decides a property.

pub mod ctl;
