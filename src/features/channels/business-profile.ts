import type pg from 'pg';
import type { BusinessProfile, ProfileChange } from '../../carriers/business-profile.js';
import type { CarrierRegistry } from '../../carriers/registry/registry.js';
import { invalidField } from '../../platform/errors/app-error.js';
import { callCarrier, type OwnedChannel } from './call-carrier.js';
import { changeStoredProfile, findStoredProfile } from './profile-store.js';

export interface ProfileOptions {
  pool: pg.Pool;
  carriers: Pick<CarrierRegistry, 'get'>;
}

/**
 * If the carrier has no profiles, like the simulator, the profile is stored in our database.
 * @throws {AppError} The errors of `callCarrier`
 */
export function readBusinessProfile(
  { pool, carriers }: ProfileOptions,
  channel: OwnedChannel,
): Promise<BusinessProfile> {
  return callCarrier(carriers, channel, (carrier) =>
    carrier.readProfile ? carrier.readProfile(channel) : findStoredProfile(pool, channel.id),
  );
}

/**
 * An empty value removes the field.
 * @throws {AppError} INVALID_REQUEST for a picture if the carrier has no profiles, or any error of `callCarrier`
 */
export function changeBusinessProfile(
  { pool, carriers }: ProfileOptions,
  channel: OwnedChannel,
  change: ProfileChange,
): Promise<void> {
  return callCarrier(carriers, channel, async (carrier) => {
    if (carrier.changeProfile) return await carrier.changeProfile(channel, change);
    if (change.profile_picture_handle !== undefined)
      throw invalidField(
        'profile_picture_handle',
        'cannot be set: the carrier of the channel does not support pictures',
      );
    await changeStoredProfile(pool, channel.id, change);
  });
}
