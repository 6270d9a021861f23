import { Type } from '@sinclair/typebox';
import { DoneData } from '../../answers.js';
import type { Contract } from '../contract.js';
import { NewRateCardBody, PriceBody, PricePath, RateCardData, RateCardPath } from './rates-schemas.js';

export const RATES = {
  'GET /rates': {
    needs: 'viewer',
    roleScope: 'installation',
    operationId: 'consoleListRateCards',
    summary: 'List the rate cards with their prices',
    data: Type.Array(RateCardData),
  },
  'POST /rates': {
    needs: 'owner',
    roleScope: 'installation',
    operationId: 'consoleCreateRateCard',
    summary: 'Create a rate card with its default prices',
    body: NewRateCardBody,
    data: DoneData,
    errors: [409],
  },
  'PUT /rates/:card/prices': {
    needs: 'owner',
    roleScope: 'installation',
    operationId: 'consoleSetPrice',
    summary: 'Set one price of a rate card',
    description: 'Takes effect in every process within seconds. Accepted messages keep their price.',
    params: RateCardPath,
    body: PriceBody,
    data: DoneData,
  },
  'DELETE /rates/:card/prices/:kind/:callingCode': {
    needs: 'owner',
    roleScope: 'installation',
    operationId: 'consoleRemovePrice',
    summary: 'Remove the price for a calling code, so that the default applies',
    params: PricePath,
    data: DoneData,
  },
} satisfies Contract;
