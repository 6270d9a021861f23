import { AppError, invalidField } from '../../platform/errors/app-error.js';
import type { Operator, Prisma, PrismaClient } from '../../platform/generated/prisma/client.js';
import { isUuid, newId } from '../../platform/ids.js';
import { requireAccount } from '../accounts.js';
import { type Actor, audit } from '../audit/audit-log.js';
import { createLink, type NewLink } from './links.js';
import { createOperator, operatorName } from './operators.js';
import { type Grant, isAtLeast, roleFor } from './roles.js';
import { NO_SECOND_FACTOR } from './second-factor.js';

/** Who changes operators: nobody gives or takes a role that they do not have themselves. */
export interface By {
  actor: Actor;
  /** `all`: the command line, which who can run it may do anything with. */
  grants: 'all' | readonly Grant[];
}

type Client = Pick<PrismaClient, '$transaction'>;

/** An operator, and the link by which they sign in first. */
export interface AddedOperator {
  operator: { id: string; name: string };
  /** Null for one who was there already. */
  link: NewLink | null;
}

/**
 * Makes an operator with a link that signs them in once.
 * @throws {AppError} as `createOperator` does; FORBIDDEN for a role that the one who gives it does not have
 */
export function addOperator(
  prisma: Client,
  { at, ...input }: { name: string; grants: readonly Grant[]; at: Date },
  by: By,
): Promise<{ operator: { id: string; name: string }; link: NewLink }> {
  for (const grant of input.grants) requireMayGive(by, grant);
  return prisma.$transaction(async (transaction) => {
    const operator = await createOperator(transaction, input);
    const link = await createLink(transaction, { operatorId: operator.id, at });
    const after = { name: operator.name, grants: input.grants };
    await audit(transaction, { ...line(by, 'operator.create', operator), accountId: soleAccount(input.grants), after });
    return { operator, link };
  });
}

/**
 * Gives an operator other roles in place of those that they have.
 * @throws {AppError} NOT_FOUND, FORBIDDEN, CONFLICT where no owner of the installation would be left
 */
export function setGrants(prisma: Client, operatorId: string, grants: readonly Grant[], by: By): Promise<void> {
  return prisma.$transaction(async (transaction) => {
    const operator = await lockedOperator(transaction, operatorId);
    await replaceGrants(transaction, operator, grants, by);
  });
}

/**
 * Gives somebody a role for one account; whom nobody knows yet is made an operator, with a link.
 * @throws {AppError} INVALID_REQUEST for a malformed name, FORBIDDEN
 */
export async function addToAccount(
  prisma: Client & Pick<PrismaClient, 'operator'>,
  { accountId, name, role, at }: { accountId: string; name: string; role: Grant['role']; at: Date },
  by: By,
): Promise<AddedOperator> {
  const known = await prisma.operator.findUnique({ where: { name: operatorName(name) } });
  if (!known) return addOperator(prisma, { name, grants: [{ role, accountId }], at }, by);
  await setAccountRole(prisma, { accountId, operatorId: known.id, role }, by);
  return { operator: { id: known.id, name: known.name }, link: null };
}

/**
 * Gives an operator another role for one account, or none.
 * @throws {AppError} NOT_FOUND, FORBIDDEN
 */
export function setAccountRole(
  prisma: Client,
  { accountId, operatorId, role }: { accountId: string; operatorId: string; role: Grant['role'] | null },
  by: By,
): Promise<void> {
  return prisma.$transaction(async (transaction) => {
    const operator = await lockedOperator(transaction, operatorId);
    const others = operator.grants.filter((each) => each.accountId !== accountId);
    await replaceGrants(transaction, operator, role === null ? others : [...others, { role, accountId }], by);
  });
}

/**
 * Switches an operator on or off. Who is switched off is signed out at once.
 * @throws {AppError} NOT_FOUND, FORBIDDEN, CONFLICT where no owner of the installation would be left
 */
export function switchOperator(prisma: Client, operatorId: string, isActive: boolean, by: By): Promise<void> {
  return prisma.$transaction(async (transaction) => {
    const operator = await lockedOperator(transaction, operatorId);
    for (const grant of operator.grants) requireMayGive(by, grant);
    await transaction.operator.update({ where: { id: operator.id }, data: { isActive } });
    if (!isActive) {
      await signOut(transaction, operator.id);
      await requireOwner(transaction);
    }
    const before = { isActive: operator.isActive };
    await audit(transaction, { ...line(by, 'operator.update', operator), before, after: { isActive } });
  });
}

/**
 * Takes the password, the second factor and the sign-in by OpenID Connect from an operator, signs them out, and gives them
 * a link by which they begin anew.
 * @throws {AppError} NOT_FOUND, FORBIDDEN
 */
export function resetOperator(prisma: Client, operatorId: string, at: Date, by: By): Promise<NewLink> {
  return prisma.$transaction(async (transaction) => {
    const operator = await lockedOperator(transaction, operatorId);
    for (const grant of operator.grants) requireMayGive(by, grant);
    const data = { ...NO_SECOND_FACTOR, passwordHash: null, oidcIssuer: null, oidcSubject: null };
    await transaction.operator.update({ where: { id: operator.id }, data });
    await signOut(transaction, operator.id);
    await audit(transaction, line(by, 'operator.reset', operator));
    return createLink(transaction, { operatorId: operator.id, at });
  });
}

/**
 * Gives an operator a further link that signs them in once; those before it are good no more.
 * @throws {AppError} NOT_FOUND, FORBIDDEN, CONFLICT for one who is switched off
 */
export function giveLink(prisma: Client, operatorId: string, at: Date, by: By): Promise<NewLink> {
  return prisma.$transaction(async (transaction) => {
    const operator = await lockedOperator(transaction, operatorId);
    for (const grant of operator.grants) requireMayGive(by, grant);
    if (!operator.isActive) throw new AppError('CONFLICT', `the operator ${operator.name} is switched off`);
    await transaction.signInLink.deleteMany({ where: { operatorId: operator.id } });
    await audit(transaction, line(by, 'operator.link', operator));
    return createLink(transaction, { operatorId: operator.id, at });
  });
}

/**
 * Takes an operator away. Lines of the audit log keep their name.
 * @throws {AppError} NOT_FOUND, FORBIDDEN, CONFLICT where no owner of the installation would be left
 */
export function removeOperator(prisma: Client, operatorId: string, by: By): Promise<void> {
  return prisma.$transaction(async (transaction) => {
    const operator = await lockedOperator(transaction, operatorId);
    for (const grant of operator.grants) requireMayGive(by, grant);
    await transaction.operator.delete({ where: { id: operator.id } });
    await requireOwner(transaction);
    const before = { name: operator.name, grants: shown(operator.grants) };
    await audit(transaction, { ...line(by, 'operator.remove', operator), before });
  });
}

/**
 * The id of an operator by their name.
 * @throws {AppError} NOT_FOUND
 */
export async function requireOperatorId(prisma: Pick<PrismaClient, 'operator'>, name: string): Promise<string> {
  const operator = await prisma.operator.findUnique({ where: { name: operatorName(name) }, select: { id: true } });
  if (!operator) throw new AppError('NOT_FOUND', `there is no operator ${operatorName(name)}`);
  return operator.id;
}

type LockedOperator = Operator & { grants: Grant[] };

/** Changes of operators wait for each other: else two owners who take the role from each other would leave none. */
async function lockedOperator(transaction: Prisma.TransactionClient, operatorId: string): Promise<LockedOperator> {
  await transaction.$executeRaw`SELECT pg_advisory_xact_lock(hashtextextended('heliograph operators', 0))`;
  const operator = isUuid(operatorId)
    ? await transaction.operator.findUnique({ where: { id: operatorId }, include: { grants: true } })
    : null;
  if (!operator) throw new AppError('NOT_FOUND', 'There is no operator with this id.');
  return operator;
}

async function replaceGrants(
  transaction: Prisma.TransactionClient,
  operator: LockedOperator,
  grants: readonly Grant[],
  by: By,
): Promise<void> {
  const same = (one: Grant) => (other: Grant) => one.accountId === other.accountId && one.role === other.role;
  const given = grants.filter((each) => !operator.grants.some(same(each)));
  const taken = operator.grants.filter((each) => !grants.some(same(each)));
  const places = new Set(grants.map(({ accountId }) => accountId));
  if (places.size < grants.length) throw invalidField('grants', 'must name each account once');
  for (const grant of [...given, ...taken]) requireMayGive(by, grant);
  for (const { accountId } of given) if (accountId !== null) await requireAccount(transaction, accountId);
  const operatorId = operator.id;
  for (const { accountId } of taken) await transaction.operatorGrant.deleteMany({ where: { operatorId, accountId } });
  await transaction.operatorGrant.createMany({
    data: given.map(({ role, accountId }) => ({ id: newId(), operatorId, role, accountId })),
  });
  if (taken.some(isOwnership)) await requireOwner(transaction);
  const accountId = soleAccount([...given, ...taken]);
  // A line of one account, which its operators read, tells of roles for no other.
  const told = (all: readonly Grant[]) =>
    shown(accountId === null ? all : all.filter((each) => each.accountId === accountId));
  await audit(transaction, {
    ...line(by, 'operator.grant', operator),
    accountId,
    before: { name: operator.name, grants: told(operator.grants) },
    after: { grants: told(grants) },
  });
}

async function signOut(transaction: Prisma.TransactionClient, operatorId: string): Promise<void> {
  await transaction.operatorSession.deleteMany({ where: { operatorId } });
  await transaction.signInLink.deleteMany({ where: { operatorId } });
}

/** Somebody must be left who can mend whatever is wrong. */
async function requireOwner(transaction: Prisma.TransactionClient): Promise<void> {
  const owners = await transaction.operator.count({
    where: { isActive: true, grants: { some: { accountId: null, role: 'owner' } } },
  });
  if (owners === 0) throw new AppError('CONFLICT', 'This is the last owner of the installation; make another first.');
}

function isOwnership({ role, accountId }: Grant): boolean {
  return accountId === null && role === 'owner';
}

function requireMayGive({ grants }: By, { role, accountId }: Grant): void {
  if (grants === 'all') return;
  const own = roleFor(grants, accountId);
  if (own && isAtLeast(own, role)) return;
  throw new AppError('FORBIDDEN', 'Nobody gives or takes a role that they do not have themselves.');
}

function line({ actor }: By, action: string, { id, name }: { id: string; name: string }) {
  return { actor, action, accountId: null, subject: id, after: { name } };
}

function shown(grants: readonly Grant[]): Grant[] {
  return grants.map(({ role, accountId }) => ({ role, accountId }));
}

/** The account that all of these grants are for; null where there is no such. */
function soleAccount(grants: readonly Grant[]): string | null {
  const [first, ...rest] = grants;
  return first && rest.every(({ accountId }) => accountId === first.accountId) ? first.accountId : null;
}
