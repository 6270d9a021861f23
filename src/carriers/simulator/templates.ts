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
