import type { BusinessProfile, ProfileChange } from '../business-profile.js';
import { asObject, readText } from './callbacks/fields.js';
import type { GraphCall } from './send/graph-client.js';

/** @throws {CarrierError} */
type CallMeta = (call: Omit<GraphCall, 'token'>) => Promise<Readonly<Record<string, unknown>>>;

const TEXT_FIELDS = ['about', 'address', 'description', 'email', 'profile_picture_url', 'vertical'] as const;
const FIELDS = [...TEXT_FIELDS, 'websites'].join(',');

/** Meta, "Business profiles". */
export async function readProfile(callMeta: CallMeta, phoneNumberId: string): Promise<BusinessProfile> {
  const { data } = await callMeta({ method: 'GET', path: buildProfilePath(phoneNumberId), query: { fields: FIELDS } });
  const profile = asObject(Array.isArray(data) ? data[0] : null) ?? {};
  const websites = Array.isArray(profile.websites)
    ? profile.websites.map(readText).filter((website) => website !== null)
    : [];
  return {
    ...Object.fromEntries(
      TEXT_FIELDS.flatMap((name) => (readText(profile[name]) ? [[name, readText(profile[name])]] : [])),
    ),
    ...(websites.length > 0 && { websites }),
  };
}

export async function changeProfile(callMeta: CallMeta, phoneNumberId: string, change: ProfileChange): Promise<void> {
  await callMeta({
    method: 'POST',
    path: buildProfilePath(phoneNumberId),
    body: { messaging_product: 'whatsapp', ...change },
  });
}

function buildProfilePath(phoneNumberId: string): string {
  return `${phoneNumberId}/whatsapp_business_profile`;
}
