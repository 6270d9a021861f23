import { SAMPLE_TEMPLATE } from '../../carriers/simulator/templates.js';
import type { CarrierTemplate } from '../../carriers/templates.js';

/** An approved template in English that serves to inform, unless told otherwise. */
function template(
  name: string,
  components: readonly object[],
  more: Partial<Pick<CarrierTemplate, 'language' | 'category' | 'status'>> = {},
): CarrierTemplate {
  return { name, language: 'en_US', category: 'UTILITY', status: 'APPROVED', components, ...more };
}

const header = (text: string) => ({ type: 'HEADER', format: 'TEXT', text });
const body = (text: string) => ({ type: 'BODY', text });
const footer = (text: string) => ({ type: 'FOOTER', text });

/** Templates of the demo channel: each form of parameters once, and each status that a send meets. */
export const DEMO_TEMPLATES: readonly CarrierTemplate[] = [
  { ...SAMPLE_TEMPLATE, components: [...SAMPLE_TEMPLATE.components, footer('Heliograph demo')] },
  template('order_update', [body('Your order {{1}} is on its way.')]),
  template('order_update', [body('Ihre Bestellung {{1}} ist unterwegs.')], { language: 'de' }),
  template('appointment_reminder', [body('Hello {{1}}, your appointment is on {{2}} at {{3}}.')]),
  template('delivery_scheduled', [
    header('Delivery for {{customer_name}}'),
    body('Parcel {{parcel_number}} arrives on {{delivery_day}}.'),
    { type: 'BUTTONS', buttons: [{ type: 'URL', text: 'Track', url: 'https://example.com/track/{{1}}' }] },
  ]),
  template(
    'seasonal_promotion',
    [
      body('Hello {{1}}, everything in our shop is {{2}} percent off this week.'),
      footer('Reply STOP to hear no more from us.'),
      { type: 'BUTTONS', buttons: [{ type: 'QUICK_REPLY', text: 'STOP' }] },
    ],
    { category: 'MARKETING' },
  ),
  template('loyalty_invitation', [body('Hello {{1}}, would you like to join our loyalty programme?')], {
    category: 'MARKETING',
    status: 'PENDING',
  }),
  template('prize_draw', [body('You may have won! Send us your card number to find out.')], {
    category: 'MARKETING',
    status: 'REJECTED',
  }),
];
