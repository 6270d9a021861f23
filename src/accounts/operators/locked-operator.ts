import { AppError } from '../../platform/errors/app-error.js';
import type { Operator, Prisma } from '../../platform/generated/prisma/client.js';
import { isUuid } from '../../platform/ids.js';

export interface SessionRef {
  operatorId: string;
  sessionId: string;
}

/**
 * Lock an operator before using or removing one of the operator's sign-in methods. A password that was verified before the lock
 * must be compared with `row` again, because it may have changed.
 */
export class LockedOperator {
  readonly prisma: Prisma.TransactionClient;
  /** Read after locking. */
  readonly row: Operator;

  private constructor(prisma: Prisma.TransactionClient, row: Operator) {
    this.prisma = prisma;
    this.row = row;
  }

  static async lock(prisma: Prisma.TransactionClient, operatorId: string): Promise<LockedOperator | null> {
    if (!isUuid(operatorId)) return null;
    await prisma.$queryRaw`SELECT 1 AS locked FROM operators WHERE id = ${operatorId}::uuid FOR UPDATE`;
    const row = await prisma.operator.findUnique({ where: { id: operatorId } });
    return row && new LockedOperator(prisma, row);
  }

  /** Fails if the session has ended since the request arrived. @throws {AppError} UNAUTHORIZED */
  static async lockSignedIn(
    prisma: Prisma.TransactionClient,
    { operatorId, sessionId }: SessionRef,
  ): Promise<LockedOperator> {
    const operator = await LockedOperator.lock(prisma, operatorId);
    const session = await prisma.operatorSession.findFirst({ where: { id: sessionId, operatorId } });
    if (!operator?.row.isActive || !session) throw new AppError('UNAUTHORIZED', 'The session has ended.');
    return operator;
  }

  async endLinks(): Promise<number> {
    return (await this.prisma.signInLink.deleteMany({ where: { operatorId: this.row.id } })).count;
  }

  async endSessions(keptId?: string): Promise<number> {
    const where = { operatorId: this.row.id, ...(keptId !== undefined && { id: { not: keptId } }) };
    return (await this.prisma.operatorSession.deleteMany({ where })).count;
  }
}
