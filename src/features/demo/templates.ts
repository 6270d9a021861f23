import { SAMPLE_TEMPLATE } from '../../carriers/simulator/templates.js';
import type { CarrierTemplate } from '../../carriers/templates.js';

/** Creates an approved English utility template by default. */
function createTemplate(
  name: string,
  components: readonly object[],
  more: Partial<Pick<CarrierTemplate, 'language' | 'category' | 'status'>> = {},
): CarrierTemplate {
  return { name, language: 'en_US', category: 'UTILITY', status: 'APPROVED', components, ...more };
}

const header = (text: string) => ({ type: 'HEADER', format: 'TEXT', text });
const body = (text: string) => ({ type: 'BODY', text });
const footer = (text: string) => ({ type: 'FOOTER', text });

const card = (name: string) => ({
  components: [
    { type: 'HEADER', format: 'IMAGE' },
    body(`*${name}* for {{1}} only`),
    {
      type: 'BUTTONS',
      buttons: [
        { type: 'QUICK_REPLY', text: 'Tell me more' },
        { type: 'URL', text: 'Buy', url: 'https://example.com/shop/{{1}}' },
      ],
    },
  ],
});

export const DEMO_TEMPLATES: readonly CarrierTemplate[] = [
  { ...SAMPLE_TEMPLATE, components: [...SAMPLE_TEMPLATE.components, footer('Heliograph demo')] },
  createTemplate('order_update', [body('Your order {{1}} is on its way.')]),
  createTemplate('order_update', [body('Ihre Bestellung {{1}} ist unterwegs.')], { language: 'de' }),
  createTemplate('appointment_reminder', [body('Hello {{1}}, your appointment is on {{2}} at {{3}}.')]),
  createTemplate('delivery_scheduled', [
    header('Delivery for {{customer_name}}'),
    body('Parcel {{parcel_number}} arrives on {{delivery_day}}.'),
    { type: 'BUTTONS', buttons: [{ type: 'URL', text: 'Track', url: 'https://example.com/track/{{1}}' }] },
  ]),
  createTemplate(
    'seasonal_promotion',
    [
      body('Hello {{1}}, everything in our shop is {{2}} percent off this week.'),
      footer('Reply STOP to hear no more from us.'),
      { type: 'BUTTONS', buttons: [{ type: 'QUICK_REPLY', text: 'STOP' }] },
    ],
    { category: 'MARKETING' },
  ),
  createTemplate(
    'weekend_offer',
    [
      { type: 'HEADER', format: 'IMAGE' },
      body('Hello {{1}}, this weekend everything for the garden is *20 percent* off.'),
      { type: 'LIMITED_TIME_OFFER', limited_time_offer: { text: 'Only two days', has_expiration: true } },
      {
        type: 'BUTTONS',
        buttons: [
          { type: 'COPY_CODE', text: 'Copy offer code', example: 'GARDEN20' },
          { type: 'URL', text: 'To the shop', url: 'https://example.com/garden?code={{1}}' },
        ],
      },
    ],
    { category: 'MARKETING' },
  ),
  createTemplate(
    'new_arrivals',
    [
      body('Hello {{1}}, these arrived this week:'),
      { type: 'CAROUSEL', cards: [card('Deck chair'), card('Parasol'), card('Lantern')] },
    ],
    { category: 'MARKETING' },
  ),
  createTemplate('loyalty_invitation', [body('Hello {{1}}, would you like to join our loyalty programme?')], {
    category: 'MARKETING',
    status: 'PENDING',
  }),
  createTemplate('prize_draw', [body('You may have won! Send us your card number to find out.')], {
    category: 'MARKETING',
    status: 'REJECTED',
  }),
];
