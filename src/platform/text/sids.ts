/** Prefixes of the ids by which clients of Twilio's API name things, and what each names here. */
export type SidPrefix = 'AC' | 'SK' | 'SM' | 'MM' | 'MG' | 'HX' | 'ME' | 'VA' | 'VE' | 'VL';

const SID = /^([A-Z]{2})([0-9a-f]{8})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{12})$/;

/**
 * The id of something as Twilio writes ids: two letters, and 32 hexadecimal digits, here those of our UUID. An account is `AC`,
 * a key `SK`, a message `SM` or `MM`, a channel `MG`, a template `HX`, a file `ME`, a sign-in service `VA`, a code of it `VE`, a send
 * of that `VL`.
 * @param id a UUID
 */
export function sidOf(prefix: SidPrefix, id: string): string {
  return prefix + id.replaceAll('-', '').toLowerCase();
}

/** Our id of something that a SID with one of the prefixes names, in lower case; null for any other text. */
export function idOfSid(sid: string, ...prefixes: readonly SidPrefix[]): string | null {
  const [, prefix = '', ...groups] = SID.exec(sid.slice(0, 2) + sid.slice(2).toLowerCase()) ?? [];
  return (prefixes as readonly string[]).includes(prefix) ? groups.join('-') : null;
}
