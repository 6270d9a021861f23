/** The id by which programs that were written for Twilio name something: two letters, and our id without its hyphens. */
export function sidOf(prefix: 'AC' | 'HX' | 'MG', id: string): string {
  return prefix + id.replaceAll('-', '');
}
