import { SharedReads } from '../../platform/shared-reads.js';
import type { CarrierSinks } from '../carrier.js';
import { CarrierError } from '../carrier-error.js';
import type { TemplateContent } from '../content.js';
import type { CarrierTemplate } from '../templates.js';

/** Meta gives this template to every new account. */
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

export const EXAMPLE_HANDLE = '4::c2ltdWxhdGVk:example';

/** Clients can test rejections with template names that have this prefix. */
const REJECTED_PREFIX = 'rejected_';

/** The parameter `stored` contains the channel's templates from our database, because the simulator keeps none. */
export function reviewTemplates(stored: readonly CarrierTemplate[]): CarrierTemplate[] {
  const reviewedTemplates = stored.map((template) =>
    template.status === 'PENDING' ? reviewTemplate(template) : template,
  );
  const includesSample = stored.some(
    ({ name, language }) => name === SAMPLE_TEMPLATE.name && language === SAMPLE_TEMPLATE.language,
  );
  return includesSample ? reviewedTemplates : [...reviewedTemplates, SAMPLE_TEMPLATE];
}

function reviewTemplate(template: CarrierTemplate): CarrierTemplate {
  return { ...template, status: template.name.startsWith(REJECTED_PREFIX) ? 'REJECTED' : 'APPROVED' };
}

/** Meta's error code for an unknown template. */
const TEMPLATE_NOT_FOUND = '132001';

/** Refuses unknown templates, so that clients detect a misspelled name. */
export class SimulatorTemplates {
  #hasTemplate: CarrierSinks['hasTemplate'] | null = null;
  readonly #reads = new SharedReads<boolean>();

  start(hasTemplate: CarrierSinks['hasTemplate']): void {
    this.#hasTemplate = hasTemplate;
  }

  /** Rejects with a CarrierError, which is retryable only if the database is unavailable. */
  async requireApproved(channelId: string | null, { name, language }: TemplateContent): Promise<void> {
    if (name === SAMPLE_TEMPLATE.name && language === SAMPLE_TEMPLATE.language) return;
    if (await this.#isApproved(channelId, name, language)) return;
    const message = `Template name does not exist in the translation: the channel has no approved template ${JSON.stringify(name)} in ${language}.`;
    throw CarrierError.refused(TEMPLATE_NOT_FOUND, message);
  }

  async #isApproved(channelId: string | null, name: string, language: string): Promise<boolean> {
    const hasTemplate = this.#hasTemplate;
    if (!hasTemplate || channelId === null) return true;
    const query = () => hasTemplate(channelId, name, language);
    try {
      return await this.#reads.get(JSON.stringify([channelId, name, language]), query);
    } catch (cause) {
      throw CarrierError.unavailable('UNREACHABLE', 'The simulator could not look up the template.', { cause });
    }
  }
}
