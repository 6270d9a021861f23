/** The path below which carriers of a type call us. */
export function callbackPrefix(type: string): string {
  return `/callbacks/${type}`;
}
