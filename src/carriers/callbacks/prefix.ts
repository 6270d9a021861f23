export function callbackPrefix(type: string): string {
  return `/callbacks/${type}`;
}
