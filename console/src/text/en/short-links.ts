export const shortLinks = {
  shortLinks: {
    title: 'Short links',
    lead: 'Campaigns can replace the links in their messages, and count who clicks them.',
    base: 'Links begin with',
    check: 'Check now',
    domain: 'Own domain',
    domainHint:
      'For example go.example.com. It must lead to this server. Leave it empty to use the address of the server.',
    isOn: 'Shorten links in new campaigns',
    isOnHint: 'You can change this for each campaign.',
    no: 'No',
    proved: 'The domain is proved. Short links use it.',
    recordName: 'Name of the TXT record',
    recordText: 'Text of the TXT record',
    results: {
      verified: 'The domain is proved',
      'no-record': 'The TXT record was not found. New records can take some hours to become visible.',
      'lookup-failed': 'The name servers of the domain did not respond. Try again later.',
      'other-account': 'Another account has proved this domain. Remove its TXT record first.',
    },
    save: 'Save',
    saved: 'Settings saved',
    unproved:
      'Add this TXT record at the provider of your domain. Short links use the domain once the record is found.',
    yes: 'Yes',
  },
};
