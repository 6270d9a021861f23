/** Prefixes of Twilio's IDs. */
export type SidPrefix = 'AC' | 'SK' | 'SM' | 'MM' | 'MG' | 'HX' | 'ME' | 'VA' | 'VE' | 'VL';

const SID = /^([A-Z]{2})([0-9a-f]{8})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{12})$/;

/**
 * Formats an ID like Twilio: two letters and 32 hexadecimal digits. The prefixes are `AC` for an account, `SK` for a
 * key, `SM` or `MM` for a message, `MG` for a channel, `HX` for a template and `ME` for a file. `VA` is a sign-in
 * service, `VE` one of its codes, and `VL` the sending of a code.
 */
export function toSid(prefix: SidPrefix, id: string): string {
  return prefix + id.replaceAll('-', '').toLowerCase();
}

/** In lower case; null unless the text is a SID with one of the prefixes. */
export function parseSid(sid: string, ...prefixes: readonly SidPrefix[]): string | null {
  const [, prefix = '', ...groups] = SID.exec(sid.slice(0, 2) + sid.slice(2).toLowerCase()) ?? [];
  return (prefixes as readonly string[]).includes(prefix) ? groups.join('-') : null;
}
