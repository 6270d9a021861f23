import type { BusinessProfile, ProfileChange } from '../business-profile.js';
import { asObject, textOf } from './callbacks/fields.js';
import type { GraphCall } from './send/graph-client.js';

/** Asks Meta with the carrier's token. @throws {CarrierError} for a refusal, and where there is no answer */
type Ask = (call: Omit<GraphCall, 'token'>) => Promise<Readonly<Record<string, unknown>>>;

const TEXTS = ['about', 'address', 'description', 'email', 'profile_picture_url', 'vertical'] as const;
const FIELDS = [...TEXTS, 'websites'].join(',');

/** Meta's profile of a number (Meta, "Business profiles"). */
export async function readProfile(ask: Ask, phoneNumberId: string): Promise<BusinessProfile> {
  const { data } = await ask({ method: 'GET', path: pathOf(phoneNumberId), query: { fields: FIELDS } });
  const told = asObject(Array.isArray(data) ? data[0] : null) ?? {};
  const websites = Array.isArray(told.websites) ? told.websites.map(textOf).filter((each) => each !== null) : [];
  return {
    ...Object.fromEntries(TEXTS.flatMap((name) => (textOf(told[name]) ? [[name, textOf(told[name])]] : []))),
    ...(websites.length > 0 && { websites }),
  };
}

export async function changeProfile(ask: Ask, phoneNumberId: string, change: ProfileChange): Promise<void> {
  await ask({ method: 'POST', path: pathOf(phoneNumberId), body: { messaging_product: 'whatsapp', ...change } });
}

function pathOf(phoneNumberId: string): string {
  return `${phoneNumberId}/whatsapp_business_profile`;
}
