import type { PrismaClient } from '../../platform/generated/prisma/client.js';
import { newId } from '../../platform/ids.js';

type ContactTables = Pick<PrismaClient, 'contact' | 'contactGroup' | 'groupMember' | 'channel'>;

interface DemoContact {
  /** A number in the simulator's fictional range that triggers no special outcome. */
  phone: string;
  name: string;
  email: string;
  groups: readonly string[];
}

const CUSTOMERS = 'Customers';
const NEWSLETTER = 'Newsletter';

const DEMO_GROUPS = [
  { name: CUSTOMERS, description: 'Customers with at least one order' },
  { name: NEWSLETTER, description: 'Subscribers to our news' },
] as const;

const DEMO_CONTACTS: readonly DemoContact[] = [
  { phone: '15005550151', name: 'Ada Lovelace', email: 'ada@example.com', groups: [CUSTOMERS, NEWSLETTER] },
  { phone: '15005550152', name: 'Alan Turing', email: 'alan@example.com', groups: [CUSTOMERS] },
  { phone: '15005550153', name: 'Grace Hopper', email: 'grace@example.com', groups: [CUSTOMERS, NEWSLETTER] },
  { phone: '15005550154', name: 'Katherine Johnson', email: '', groups: [NEWSLETTER] },
  { phone: '15005550155', name: 'Edsger Dijkstra', email: 'edsger@example.org', groups: [] },
  { phone: '15005550156', name: '', email: '', groups: [] },
];

export interface SeededGroup {
  id: string;
  name: string;
  contactIds: readonly string[];
}

/** Returns the groups. */
export async function seedContacts(
  transaction: ContactTables,
  scope: { accountId: string; channelId: string },
): Promise<SeededGroup[]> {
  const contacts = DEMO_CONTACTS.map((contact) => ({ id: newId(), ...contact }));
  const groups = DEMO_GROUPS.map((group) => {
    const members = contacts.filter((contact) => contact.groups.includes(group.name));
    return { id: newId(), ...group, contactIds: members.map((member) => member.id) };
  });
  await transaction.contact.createMany({
    data: contacts.map(({ id, phone, name, email }) => ({ id, ...scope, phone, name, email })),
  });
  await transaction.contactGroup.createMany({
    data: groups.map(({ id, name, description, contactIds }) => {
      return { id, ...scope, name, description, contactCount: contactIds.length };
    }),
  });
  await transaction.groupMember.createMany({
    data: groups.flatMap(({ id, contactIds }) => contactIds.map((contactId) => ({ groupId: id, contactId }))),
  });
  await transaction.channel.update({ where: { id: scope.channelId }, data: { contactCount: contacts.length } });
  return groups;
}
