/** Path prefix of the endpoints for carriers of a type. */
export function callbackPrefix(type: string): string {
  return `/callbacks/${type}`;
}
