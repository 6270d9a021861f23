import { Type } from '@sinclair/typebox';
import { DoneData, pageQuery } from '../../answers.js';
import {
  CALL_FILTERS,
  CallEntry,
  CarrierChangeBody,
  CarrierData,
  CarrierPath,
  CarrierTypeData,
  CheckData,
  KeptReportEntry,
  NewCarrierBody,
  ReplayBody,
  ReplayData,
  SavedCarrierData,
  TryBody,
  TryData,
} from '../../endpoints/installation/carriers-schemas.js';
import type { Contract } from '../contract.js';

/** The endpoints of `endpoints/installation/carriers.ts`. */
export const CARRIERS = {
  'GET /carriers': {
    needs: 'viewer',
    of: 'installation',
    operationId: 'consoleListCarriers',
    summary: 'List the carriers, and how they fare in every process',
    data: Type.Array(CarrierData),
  },
  'GET /carriers/types': {
    needs: 'viewer',
    of: 'installation',
    operationId: 'consoleListCarrierTypes',
    summary: 'Describe the types of carriers and their settings',
    data: Type.Array(CarrierTypeData),
  },
  'POST /carriers': {
    needs: 'owner',
    of: 'installation',
    operationId: 'consoleCreateCarrier',
    summary: 'Set a carrier up',
    description: 'Every process opens it some seconds later.',
    body: NewCarrierBody,
    data: SavedCarrierData,
    errors: [409],
  },
  'PATCH /carriers/:name': {
    needs: 'owner',
    of: 'installation',
    versioned: true,
    operationId: 'consoleChangeCarrier',
    summary: 'Change the settings of a carrier, or switch it on or off',
    description:
      'Settings that are named neither in `set` nor in `unset` stay; but a change of a destination must name every secret again. Every process obeys some seconds later.',
    params: CarrierPath,
    body: CarrierChangeBody,
    data: SavedCarrierData,
    errors: [409],
  },
  'DELETE /carriers/:name': {
    needs: 'owner',
    of: 'installation',
    operationId: 'consoleRemoveCarrier',
    summary: 'Take a carrier away that no channel and no route names',
    params: CarrierPath,
    data: DoneData,
    errors: [409],
  },
  'POST /carriers/:name/check': {
    needs: 'owner',
    of: 'installation',
    operationId: 'consoleCheckCarrier',
    summary: 'Try a carrier out from this process, without sending a message',
    params: CarrierPath,
    data: CheckData,
  },
  'POST /carriers/:name/try': {
    needs: 'owner',
    of: 'installation',
    operationId: 'consoleTryCarrier',
    summary: 'Send one real SMS by a carrier over HTTP, and show what was asked and answered',
    description:
      'No account is charged, and nothing is stored of it but the line of the audit log; the vendor charges for it.',
    params: CarrierPath,
    body: TryBody,
    data: TryData,
  },
  'GET /carriers/:name/kept-reports': {
    needs: 'viewer',
    of: 'installation',
    operationId: 'consoleListKeptReports',
    summary: 'List what a carrier reported and is kept because nothing used it, the newest first',
    description: 'Without bodies, which may hold what somebody wrote: "heliograph callbacks show" opens them.',
    params: CarrierPath,
    query: pageQuery({}),
    entry: KeptReportEntry,
  },
  'POST /carriers/:name/kept-reports/replay': {
    needs: 'owner',
    of: 'installation',
    operationId: 'consoleReplayKeptReports',
    summary: 'Play kept reports of a carrier again',
    description:
      'After an upgrade, or once their channel is there. A process that sends does what they say, within seconds; what is used is kept ' +
      'no more, the others stay. Doing it again changes nothing.',
    params: CarrierPath,
    body: ReplayBody,
    data: ReplayData,
  },
  'GET /carriers/:name/calls': {
    needs: 'viewer',
    of: 'installation',
    operationId: 'consoleListCarrierCalls',
    summary: 'List what a carrier over HTTP was asked and what it answered, the newest first',
    description:
      'Of the last seven days: its newest 10,000 calls that failed, and as many others. Secrets are taken out.',
    params: CarrierPath,
    query: pageQuery(CALL_FILTERS),
    entry: CallEntry,
  },
} satisfies Contract;
