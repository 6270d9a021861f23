import type { CarrierSinks } from '../carrier.js';
import type { ActionReport, CorrectionReport, EchoReport, PreferenceReport } from '../inbound-message.js';
import type { StandingNews } from '../standing.js';
import type { TemplateNews } from '../templates.js';

/** Where what callbacks tell is handed over: what any carrier may tell, and what is told by them alone. Each may be told again. */
export interface CallbackSinks extends Omit<CarrierSinks, 'media' | 'perhapsTaken' | 'sameNumber'> {
  /**
   * Messages that were sent by the numbers of channels elsewhere.
   * @returns those of which nothing can be made: they name no recipient, and no message that is here
   */
  echoes(messages: readonly EchoReport[]): Promise<readonly EchoReport[]>;
  /** @returns whether the message is here, or was */
  correction(report: CorrectionReport): Promise<boolean>;
  /** @returns whether the person is a contact of the channel */
  action(report: ActionReport): Promise<boolean>;
  preference(report: PreferenceReport): Promise<void>;
  /** What a carrier says of a channel's number and its account. One that was told before changes nothing. */
  standing(channelId: string, news: StandingNews): Promise<void>;
  /**
   * What a carrier decided of a template, in each of some channels. What is older than what is known changes nothing.
   * @returns whether any of them holds the template
   */
  template(channelIds: readonly string[], news: TemplateNews): Promise<boolean>;
}
