import { AppError } from '../../platform/errors/app-error.js';
import type { Operator, Prisma } from '../../platform/generated/prisma/client.js';
import { isUuid } from '../../platform/ids.js';

/** What gives a browser away that an operator acts from. */
export interface SignedInAs {
  operatorId: string;
  sessionId: string;
}

/**
 * An operator whom nobody else changes, and as whom nobody else signs in, until the transaction ends. What ends a way of
 * signing in and what goes that way both need one, so neither slips past the other: what was proved before, such as a
 * password, must be looked at again in `row`.
 */
export class HeldOperator {
  readonly prisma: Prisma.TransactionClient;
  /** As it stands since nobody else can change it. */
  readonly row: Operator;

  private constructor(prisma: Prisma.TransactionClient, row: Operator) {
    this.prisma = prisma;
    this.row = row;
  }

  /** Waits for whoever holds the operator now; null where there is none. */
  static async of(prisma: Prisma.TransactionClient, operatorId: string): Promise<HeldOperator | null> {
    if (!isUuid(operatorId)) return null;
    await prisma.$queryRaw`SELECT 1 AS held FROM operators WHERE id = ${operatorId}::uuid FOR UPDATE`;
    const row = await prisma.operator.findUnique({ where: { id: operatorId } });
    return row && new HeldOperator(prisma, row);
  }

  /**
   * The operator who acts in a session, unless it has ended since their request came.
   * @throws {AppError} UNAUTHORIZED
   */
  static async acting(prisma: Prisma.TransactionClient, { operatorId, sessionId }: SignedInAs): Promise<HeldOperator> {
    const held = await HeldOperator.of(prisma, operatorId);
    const session = await prisma.operatorSession.findFirst({ where: { id: sessionId, operatorId } });
    if (!held?.row.isActive || !session) throw new AppError('UNAUTHORIZED', 'The session has ended.');
    return held;
  }

  /**
   * Ends links that were not used yet: each change of how they sign in, or of what they may do, does.
   * @returns how many
   */
  async endLinks(): Promise<number> {
    return (await this.prisma.signInLink.deleteMany({ where: { operatorId: this.row.id } })).count;
  }

  /**
   * Ends the sessions of the operator.
   * @param keptId all but this one
   * @returns how many
   */
  async endSessions(keptId?: string): Promise<number> {
    const where = { operatorId: this.row.id, ...(keptId !== undefined && { id: { not: keptId } }) };
    return (await this.prisma.operatorSession.deleteMany({ where })).count;
  }
}
