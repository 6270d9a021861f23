/** What may be wrong with a body itself: any request but a GET may have one, whether the endpoint reads it or not. */
export function bodyErrors(method: string | readonly string[]): readonly (413 | 415)[] {
  return method === 'GET' ? [] : [413, 415];
}
