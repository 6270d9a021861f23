export function buildCallbackPrefix(type: string): string {
  return `/callbacks/${type}`;
}
