import type pg from 'pg';
import type { BusinessProfile, ProfileChange } from '../../carriers/business-profile.js';
import type { CarrierRegistry } from '../../carriers/registry/registry.js';
import { invalidField } from '../../platform/errors/app-error.js';
import { askCarrier, type OwnedChannel } from './ask-carrier.js';
import { changeKeptProfile, findKeptProfile } from './profile-store.js';

export interface ProfileOptions {
  pool: pg.Pool;
  carriers: Pick<CarrierRegistry, 'get'>;
}

/**
 * The business profile of a WhatsApp channel's number: that which its carrier has, and of a carrier without profiles, such as the
 * simulator, what was set here.
 * @throws {AppError} as `askCarrier`
 */
export function readBusinessProfile(
  { pool, carriers }: ProfileOptions,
  channel: OwnedChannel,
): Promise<BusinessProfile> {
  return askCarrier(carriers, channel, (carrier) =>
    carrier.readProfile ? carrier.readProfile(channel) : findKeptProfile(pool, channel.id),
  );
}

/**
 * Changes fields of it; an empty one is taken away.
 * @throws {AppError} INVALID_REQUEST for a picture where no carrier keeps profiles; otherwise as `askCarrier`
 */
export function changeBusinessProfile(
  { pool, carriers }: ProfileOptions,
  channel: OwnedChannel,
  change: ProfileChange,
): Promise<void> {
  return askCarrier(carriers, channel, async (carrier) => {
    if (carrier.changeProfile) return await carrier.changeProfile(channel, change);
    if (change.profile_picture_handle !== undefined)
      throw invalidField('profile_picture_handle', 'cannot be set: the carrier of the channel keeps no pictures');
    await changeKeptProfile(pool, channel.id, change);
  });
}
