/** SMPP 3.4 §5.1.3, with additions of SMPP 5.0. */
export const STATUS = {
  ESME_ROK: 0x00,
  ESME_RINVMSGLEN: 0x01,
  ESME_RINVCMDLEN: 0x02,
  ESME_RINVCMDID: 0x03,
  ESME_RINVBNDSTS: 0x04,
  ESME_RALYBND: 0x05,
  ESME_RINVPRTFLG: 0x06,
  ESME_RINVREGDLVFLG: 0x07,
  ESME_RSYSERR: 0x08,
  ESME_RINVSRCADR: 0x0a,
  ESME_RINVDSTADR: 0x0b,
  ESME_RINVMSGID: 0x0c,
  ESME_RBINDFAIL: 0x0d,
  ESME_RINVPASWD: 0x0e,
  ESME_RINVSYSID: 0x0f,
  ESME_RCANCELFAIL: 0x11,
  ESME_RREPLACEFAIL: 0x13,
  ESME_RMSGQFUL: 0x14,
  ESME_RINVSERTYP: 0x15,
  ESME_RINVNUMDESTS: 0x33,
  ESME_RINVDLNAME: 0x34,
  ESME_RINVDESTFLAG: 0x40,
  ESME_RINVSUBREP: 0x42,
  ESME_RINVESMCLASS: 0x43,
  ESME_RCNTSUBDL: 0x44,
  ESME_RSUBMITFAIL: 0x45,
  ESME_RINVSRCTON: 0x48,
  ESME_RINVSRCNPI: 0x49,
  ESME_RINVDSTTON: 0x50,
  ESME_RINVDSTNPI: 0x51,
  ESME_RINVSYSTYP: 0x53,
  ESME_RINVREPFLAG: 0x54,
  ESME_RINVNUMMSGS: 0x55,
  ESME_RTHROTTLED: 0x58,
  ESME_RINVSCHED: 0x61,
  ESME_RINVEXPIRY: 0x62,
  ESME_RINVDFTMSGID: 0x63,
  ESME_RX_T_APPN: 0x64,
  ESME_RX_P_APPN: 0x65,
  ESME_RX_R_APPN: 0x66,
  ESME_RQUERYFAIL: 0x67,
  ESME_RINVTLVSTREAM: 0xc0,
  ESME_RTLVNOTALLWD: 0xc1,
  ESME_RINVTLVLEN: 0xc2,
  ESME_RMISSINGTLV: 0xc3,
  ESME_RINVTLVVAL: 0xc4,
  ESME_RDELIVERYFAILURE: 0xfe,
  ESME_RUNKNOWNERR: 0xff,
  // SMPP 5.0 §4.7.6.
  ESME_RSERTYPUNAUTH: 0x0100,
  ESME_RPROHIBITED: 0x0101,
  ESME_RSERTYPUNAVAIL: 0x0102,
  ESME_RSERTYPDENIED: 0x0103,
  ESME_RINVDCS: 0x0104,
  ESME_RINVSRCADDRSUBUNIT: 0x0105,
  ESME_RINVDSTADDRSUBUNIT: 0x0106,
  ESME_RINVBCASTFREQINT: 0x0107,
  ESME_RINVBCASTALIAS_NAME: 0x0108,
  ESME_RINVBCASTAREAFMT: 0x0109,
  ESME_RINVNUMBCAST_AREAS: 0x010a,
  ESME_RINVBCASTCNTTYPE: 0x010b,
  ESME_RINVBCASTMSGCLASS: 0x010c,
  ESME_RBCASTFAIL: 0x010d,
  ESME_RBCASTQUERYFAIL: 0x010e,
  ESME_RBCASTCANCELFAIL: 0x010f,
  ESME_RINVBCAST_REP: 0x0110,
  ESME_RINVBCASTSRVGRP: 0x0111,
  ESME_RINVBCASTCHANIND: 0x0112,
} as const;

const NAMES: ReadonlyMap<number, string> = new Map(Object.entries(STATUS).map(([name, value]) => [value, name]));

/** A number for vendor-specific statuses, e.g. `0x00000411`. */
export function statusName(status: number): string {
  return NAMES.get(status) ?? `0x${status.toString(16).padStart(8, '0')}`;
}

/** The SMSC is overloaded, or the agreed rate was exceeded. */
export function isThrottling(status: number): boolean {
  return status === STATUS.ESME_RTHROTTLED || status === STATUS.ESME_RMSGQFUL || status === STATUS.ESME_RSYSERR;
}

/**
 * Other refusals concern the message itself.
 * @param extraRetryStatuses SMSCs have their own statuses between 0x400 and 0x4FF
 */
export function isRetryable(status: number, extraRetryStatuses: readonly number[]): boolean {
  return (
    isThrottling(status) ||
    status === STATUS.ESME_RINVBNDSTS ||
    status === STATUS.ESME_RX_T_APPN ||
    extraRetryStatuses.includes(status)
  );
}
