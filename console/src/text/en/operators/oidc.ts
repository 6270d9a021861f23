export const oidc = {
  by: (label: string) => `Sign in with ${label}`,
  connect: (label: string) => `Connect ${label}`,
  connected: 'Connected',
  connectHint: (label: string) => `Connect it to sign in with ${label} instead of your password.`,
  disconnect: 'Disconnect',
  disconnected: 'Disconnected.',
  disconnectHint: 'You will need your password or a link to sign in.',
  disconnectTitle: (label: string) => `Disconnect ${label}?`,
  notConnected: 'Not connected',
  or: 'or',
  problemTitle: 'Signing in failed',
  linkProblemTitle: 'Connecting failed',
  signsYouIn: (label: string) =>
    `You can sign in with ${label}. Your second factor in this console is then not required.`,
  problems: {
    denied:
      'You declined, or you do not have access to this console there. Try again, or ask the administrator of the sign-in service.',
    expired:
      'It took longer than ten minutes, was started in another browser or tab, or was already completed. Start again.',
    failed: 'The response of the sign-in service is invalid. Ask the administrator of this server to check its log.',
    off: 'Your operator account is switched off. Ask an owner of the installation to switch it on.',
    server: 'This server could not complete the sign-in. Try again in a minute.',
    taken:
      'This operator is connected to a different user of the sign-in service. Sign in another way, or ask an owner of the installation to reset the operator.',
    unknown:
      'No operator has your email address as name. Ask an owner of the installation to create one, or sign in another way and connect it under “My sign-in”.',
    unreachable: 'The sign-in service does not respond. Try again in a minute, or sign in another way.',
    unverified:
      'The sign-in service has not verified your email address. Verify it there, or sign in another way and connect it under “My sign-in”.',
  } as Readonly<Record<string, string>>,
  methods: { link: 'Link', oidc: 'OpenID Connect', password: 'Password' },
};
