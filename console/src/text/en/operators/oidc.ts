/** Signing in by OpenID Connect. */
export const oidc = {
  by: (label: string) => `Sign in with ${label}`,
  connect: (label: string) => `Connect ${label}`,
  connected: 'Connected',
  connectHint: (label: string) => `Connect it, and ${label} signs you in from then on, without your password.`,
  disconnect: 'Disconnect',
  disconnected: 'It does not sign you in any more.',
  disconnectHint: 'From then on you need your password, or a link.',
  disconnectTitle: (label: string) => `Disconnect ${label}?`,
  notConnected: 'Not connected',
  or: 'or',
  problemTitle: 'That did not sign you in',
  linkProblemTitle: 'It was not connected',
  signsYouIn: (label: string) => `${label} signs you in. A second factor of yours here is not asked for then.`,
  /** By the code that the server puts into the address. */
  problems: {
    denied: 'You said no there, or you may not use it for this console. Try again, or ask whoever runs it.',
    expired:
      'It took longer than ten minutes, was begun in another browser or tab, or was finished before. Begin again here.',
    failed: 'The answer of the sign-in service could not be used. Ask whoever runs this server: its log says why.',
    off: 'Your operator is switched off. Ask an owner of the installation to switch you on.',
    server: 'This server could not finish it. Try again in a minute.',
    taken:
      'You are somebody else there than the operator here was so far. Sign in in another way, or ask an owner of the installation to reset the operator.',
    unknown:
      'No operator here has your e-mail address for a name. Ask an owner of the installation to create one with it; or sign in in another way and connect it under “My sign-in”.',
    unreachable: 'The sign-in service does not answer. Try again in a minute, or sign in in another way.',
    unverified:
      'The sign-in service does not vouch for your e-mail address. Have it verified there; or sign in here in another way and connect it under “My sign-in”.',
  } as Readonly<Record<string, string>>,
  ways: { link: 'Link', oidc: 'OpenID Connect', password: 'Password' },
};
