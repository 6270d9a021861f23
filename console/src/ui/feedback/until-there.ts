/** Marks what is shown only until what was asked for is there: dimmed, as the rows of a list are. */
export function untilThere(isPlaceholder: boolean) {
  return isPlaceholder ? { 'aria-busy': true, opacity: 0.6 } : {};
}
