export type SidPrefix = 'AC' | 'SK' | 'SM' | 'MM' | 'MG' | 'HX' | 'ME' | 'VA' | 'VE' | 'VL';

const SID = /^([A-Z]{2})([0-9a-f]{8})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{12})$/;

/**
 * Twilio's prefixes: `AC` account, `SK` key, `SM` or `MM` message, `MG` channel, `HX` template, `ME` file, `VA`
 * sign-in service, `VE` sign-in code, `VL` attempt to send a sign-in code.
 */
export function toSid(prefix: SidPrefix, id: string): string {
  return prefix + id.replaceAll('-', '').toLowerCase();
}

/** Returns the UUID in lower case, or null if the text is not a SID with one of the prefixes. */
export function parseSid(sid: string, ...prefixes: readonly SidPrefix[]): string | null {
  const [, prefix = '', ...groups] = SID.exec(sid.slice(0, 2) + sid.slice(2).toLowerCase()) ?? [];
  return (prefixes as readonly string[]).includes(prefix) ? groups.join('-') : null;
}
