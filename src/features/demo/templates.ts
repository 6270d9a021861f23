import type { TemplateStatus } from '../../platform/generated/prisma/client.js';

interface DemoTemplate {
  name: string;
  language: string;
  category: 'UTILITY' | 'MARKETING';
  status: TemplateStatus;
  components: {
    type: string;
    format?: string;
    text?: string;
    buttons?: { type: string; text: string; url?: string }[];
  }[];
}

/** Templates of the demo channel: each form of parameters once, and each status that a send meets. */
export const DEMO_TEMPLATES: readonly DemoTemplate[] = [
  {
    name: 'hello_world',
    language: 'en_US',
    category: 'UTILITY',
    status: 'APPROVED',
    components: [
      { type: 'HEADER', format: 'TEXT', text: 'Hello World' },
      { type: 'BODY', text: 'Welcome and congratulations! This message shows that your channel can send templates.' },
      { type: 'FOOTER', text: 'Heliograph demo' },
    ],
  },
  {
    name: 'order_update',
    language: 'en_US',
    category: 'UTILITY',
    status: 'APPROVED',
    components: [{ type: 'BODY', text: 'Your order {{1}} is on its way.' }],
  },
  {
    name: 'order_update',
    language: 'de',
    category: 'UTILITY',
    status: 'APPROVED',
    components: [{ type: 'BODY', text: 'Ihre Bestellung {{1}} ist unterwegs.' }],
  },
  {
    name: 'appointment_reminder',
    language: 'en_US',
    category: 'UTILITY',
    status: 'APPROVED',
    components: [{ type: 'BODY', text: 'Hello {{1}}, your appointment is on {{2}} at {{3}}.' }],
  },
  {
    name: 'delivery_scheduled',
    language: 'en_US',
    category: 'UTILITY',
    status: 'APPROVED',
    components: [
      { type: 'HEADER', format: 'TEXT', text: 'Delivery for {{customer_name}}' },
      { type: 'BODY', text: 'Parcel {{parcel_number}} arrives on {{delivery_day}}.' },
      { type: 'BUTTONS', buttons: [{ type: 'URL', text: 'Track', url: 'https://example.com/track/{{1}}' }] },
    ],
  },
  {
    name: 'seasonal_promotion',
    language: 'en_US',
    category: 'MARKETING',
    status: 'APPROVED',
    components: [
      { type: 'BODY', text: 'Hello {{1}}, everything in our shop is {{2}} percent off this week.' },
      { type: 'FOOTER', text: 'Reply STOP to hear no more from us.' },
      { type: 'BUTTONS', buttons: [{ type: 'QUICK_REPLY', text: 'STOP' }] },
    ],
  },
  {
    name: 'loyalty_invitation',
    language: 'en_US',
    category: 'MARKETING',
    status: 'PENDING',
    components: [{ type: 'BODY', text: 'Hello {{1}}, would you like to join our loyalty programme?' }],
  },
  {
    name: 'prize_draw',
    language: 'en_US',
    category: 'MARKETING',
    status: 'REJECTED',
    components: [{ type: 'BODY', text: 'You may have won! Send us your card number to find out.' }],
  },
];
