import type { SmppSettings } from '../settings.js';
import { readBindResponse, writeBind } from '../wire/bind-pdus.js';
import { getStatusName, STATUS } from '../wire/command-status.js';
import { INTERFACE_VERSION } from '../wire/field-values.js';
import { GENERIC_NACK } from '../wire/pdu.js';
import type { Connection } from './connection.js';
import type { BindRole } from './roles.js';

export class BindRefusedError extends Error {
  constructor(readonly status: number) {
    super(`the SMSC refused the bind with ${getStatusName(status)}`);
    this.name = 'BindRefusedError';
  }
}

/**
 * @throws {BindRefusedError}
 * @throws {NoResponseError}
 */
export async function sendBind(connection: Connection, role: BindRole, settings: SmppSettings) {
  const body = writeBind({
    systemId: settings.systemId,
    password: settings.password,
    systemType: settings.systemType,
    interfaceVersion: INTERFACE_VERSION[settings.interfaceVersion],
    addressTon: settings.addressTon,
    addressNpi: settings.addressNpi,
    addressRange: settings.addressRange,
  });
  const response = await connection.request(`bind_${role}`, settings.responseTimeoutSeconds * 1000, body);
  if (response.commandId === GENERIC_NACK || response.status !== STATUS.ESME_ROK) {
    throw new BindRefusedError(response.status);
  }
  return readBindResponse(response);
}
