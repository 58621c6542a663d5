// An index out of bounds, found at run time.
#[inline(never)]
fn pick(rows: &[i32], at: usize) -> i32 {
    rows[at]
}
fn main() {
    let rows = vec![1, 2, 3];
    println!("{}", pick(&rows, std::env::args().count() + 6));
}
