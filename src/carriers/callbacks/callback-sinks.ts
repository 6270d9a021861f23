import type { CarrierSinks } from '../carrier.js';
import type { ChannelStatusChange } from '../channel-status.js';
import type { ActionReport, CorrectionReport, EchoReport, PreferenceReport } from '../inbound-message.js';
import type { CarrierTemplateChange } from '../templates.js';

/** Calling a method twice with the same report has no effect. */
export interface CallbackSinks extends Omit<CarrierSinks, 'media' | 'isMaybeAccepted' | 'linkNumbers'> {
  /** Returns the reports that were not stored because they name neither a recipient nor a stored message. */
  echoes(messages: readonly EchoReport[]): Promise<readonly EchoReport[]>;
  /** Returns whether the corrected message exists, or existed before it was deleted. */
  correction(report: CorrectionReport): Promise<boolean>;
  action(report: ActionReport): Promise<boolean>;
  preference(report: PreferenceReport): Promise<void>;
  channelStatus(channelId: string, change: ChannelStatusChange): Promise<void>;
  /** Ignores changes that are older than the latest stored change. Returns whether any of the channels has the template. */
  template(channelIds: readonly string[], change: CarrierTemplateChange): Promise<boolean>;
}
