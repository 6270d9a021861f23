/** Props that dim previous data until the new data has loaded. */
export function placeholderProps(isPlaceholder: boolean) {
  return isPlaceholder ? { 'aria-busy': true, opacity: 0.6 } : {};
}
