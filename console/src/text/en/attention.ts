/** Texts about problems of the installation or of an account. */
export const attention = {
  title: 'Needs attention',
  none: 'Carriers are up, webhooks work, and all accounts are active and have credit.',
  carrier: (name: string) => `Carrier ${name}`,
  carrierStates: {
    limited: 'is throttled',
    down: 'is down',
    unusable: 'cannot be used',
    silent: 'has stopped reporting its state',
  },
  inSome: (notUp: number, processes: number) => `in ${notUp} of ${processes} processes`,
  since: 'since',
  waiting: (count: string) => `${count} messages are waiting to be sent, the oldest since`,
  webhookOf: (account: string) => `Webhook of ${account}:`,
  disabled: 'Disabled',
  failing: 'fails',
  moreWebhooks: (count: string) => `${count} more webhooks fail.`,
  low: 'has a low balance:',
  noCredit: 'has no credit:',
  off: 'is switched off. Its keys are refused.',
  moreAccounts: (count: string) => `${count} more accounts have a low balance or are switched off.`,
  accountOff: 'This account is switched off',
  accountOffHint:
    'Its keys are refused and its campaigns are paused until an owner of the installation switches it on.',
  accountLow: 'The balance is low',
  accountLowHint: 'It is below the threshold set for the account. Without credit, paid requests fail with 402.',
  toSettings: 'Open Settings → Account',
};
