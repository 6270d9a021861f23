import { SharedReads } from '../../platform/shared-reads.js';
import type { CarrierSinks } from '../carrier.js';
import { CarrierError } from '../carrier-error.js';
import type { TemplateContent } from '../content.js';
import type { CarrierTemplate } from '../templates.js';

/** What Meta gives to every account, so that a new channel has something to send. */
export const SAMPLE_TEMPLATE: CarrierTemplate = {
  name: 'hello_world',
  language: 'en_US',
  category: 'UTILITY',
  status: 'APPROVED',
  components: [
    { type: 'HEADER', format: 'TEXT', text: 'Hello World' },
    { type: 'BODY', text: 'Welcome and congratulations! This message shows that your channel can send templates.' },
  ],
};

/** What the example of a header is called, whatever it shows. */
export const SIMULATED_EXAMPLE = '4::c2ltdWxhdGVk:example';

/** A template whose name begins so is rejected, that clients can try it. */
const REJECTED_PREFIX = 'rejected_';

/**
 * The templates of a channel after the simulator has decided about those that wait. It keeps none itself: what was
 * handed in is what the server holds.
 */
export function decideTemplates(held: readonly CarrierTemplate[]): CarrierTemplate[] {
  const decided = held.map((template) => (template.status === 'PENDING' ? decide(template) : template));
  const hasSample = held.some(
    ({ name, language }) => name === SAMPLE_TEMPLATE.name && language === SAMPLE_TEMPLATE.language,
  );
  return hasSample ? decided : [...decided, SAMPLE_TEMPLATE];
}

function decide(template: CarrierTemplate): CarrierTemplate {
  return { ...template, status: template.name.startsWith(REJECTED_PREFIX) ? 'REJECTED' : 'APPROVED' };
}

/** Meta's code of a template that is not there, or not in that language. */
const NO_TEMPLATE = '132001';

/** Refuses templates that a channel does not have, as Meta does, so that a trial finds a wrong name. */
export class SimulatorTemplates {
  #has: CarrierSinks['hasTemplate'] | null = null;
  readonly #reads = new SharedReads<boolean>();

  start(has: CarrierSinks['hasTemplate']): void {
    this.#has = has;
  }

  /** @throws {CarrierError} when the channel has no such template, or when it is not known because the store is away */
  async require(channelId: string | null, { name, language }: TemplateContent): Promise<void> {
    if (name === SAMPLE_TEMPLATE.name && language === SAMPLE_TEMPLATE.language) return;
    if (await this.#isThere(channelId, name, language)) return;
    const message = `Template name does not exist in the translation: the channel has no approved template ${JSON.stringify(name)} in ${language}.`;
    throw CarrierError.refused(NO_TEMPLATE, message);
  }

  async #isThere(channelId: string | null, name: string, language: string): Promise<boolean> {
    const has = this.#has;
    if (!has || channelId === null) return true;
    const ask = () => has(channelId, name, language);
    try {
      return await this.#reads.get(JSON.stringify([channelId, name, language]), ask);
    } catch (cause) {
      throw CarrierError.unavailable('UNREACHABLE', 'The simulator cannot look for the template.', { cause });
    }
  }
}
