/** Converts an ID to the SID format that programs written for Twilio expect: two letters and the ID without hyphens. */
export function toSid(prefix: 'AC' | 'HX' | 'MG', id: string): string {
  return prefix + id.replaceAll('-', '');
}
