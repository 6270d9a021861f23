/** Type of number (SMPP 3.4 §5.2.5). */
export const TON = { unknown: 0, international: 1, national: 2, networkSpecific: 3, alphanumeric: 5 } as const;

/** Numbering plan (§5.2.6). */
export const NPI = { unknown: 0, isdn: 1 } as const;

/** esm_class (§5.2.12). */
export const ESM_CLASS = {
  typeMask: 0x3c,
  deliveryReceipt: 0x04,
  intermediateNotification: 0x20,
  udhIndicator: 0x40,
} as const;

/** registered_delivery (§5.2.17). */
export const REGISTERED_DELIVERY = { finalReceipt: 0x01, intermediateReceipts: 0x10 } as const;

/** Values of data_coding (§5.2.19). The default alphabet is usually GSM 7-bit (3GPP TS 23.038). */
export const DATA_CODING = { default: 0x00, octets: 0x02, binary: 0x04, ucs2: 0x08 } as const;

/** interface_version (§5.2.4). */
export const INTERFACE_VERSION = { '3.3': 0x33, '3.4': 0x34 } as const;
