const ORDER = [{ type: 'body', parameters: [{ type: 'text', text: '{{variables.order}}' }] }];

/** @type {readonly import('../player.mjs').Step[]} */
export const audienceSteps = [
  {
    operation: 'createContact',
    title: 'A contact',
    body: { phone: '14155550145', name: 'Ada Lovelace', email: 'ada@example.com' },
    as: 'ada',
  },
  {
    operation: 'createContact',
    title: 'The number already has a contact',
    body: { phone: '14155550145', name: 'Ada' },
    status: 409,
  },
  { operation: 'createContact', body: { phone: '442079460145', name: 'Grace Hopper' }, as: 'grace' },
  { operation: 'createContact', body: { phone: '4917604069012', name: 'Konrad Zuse' }, as: 'konrad' },
  { operation: 'listContacts', title: 'Contacts by name', query: { search: 'lovelace' } },
  { operation: 'getContact', title: 'A contact', path: { id: '<ada.data.id>' } },
  {
    operation: 'updateContact',
    title: 'Another name',
    path: { id: '<ada.data.id>' },
    body: { name: 'Ada King' },
  },
  {
    operation: 'createContactField',
    title: 'A choice',
    body: { key: 'plan', label: 'Plan', type: 'choice', choices: ['basic', 'pro'] },
  },
  {
    operation: 'createContactField',
    title: 'The key is in use',
    body: { key: 'plan', label: 'Current plan', type: 'text' },
    status: 409,
  },
  { operation: 'createContactField', body: { key: 'seats', label: 'Seats', type: 'number' } },
  {
    operation: 'updateContactField',
    title: 'Another choice',
    path: { key: 'plan' },
    body: { choices: ['basic', 'pro', 'enterprise'] },
  },
  { operation: 'listContactFields', title: 'All fields' },
  {
    operation: 'updateContact',
    title: 'Tags and field values',
    path: { id: '<ada.data.id>' },
    body: { tags: ['VIP'], fields: { plan: 'pro', seats: 12 } },
  },
  {
    operation: 'listContacts',
    title: 'Contacts by tag and field',
    query: { tags: 'vip', fields: '{"plan":"pro"}' },
  },
  {
    operation: 'tagContacts',
    title: 'All contacts found',
    body: { found: { tags: 'vip' }, add: ['customer'], remove: ['vip'] },
  },
  { operation: 'listContactTags', title: 'All tags' },
  { operation: 'deleteContactTag', title: 'A tag that no contact has', path: { tag: 'vip' } },
  { operation: 'deleteContactTag', title: 'Contacts have the tag', path: { tag: 'customer' }, status: 409 },
  { operation: 'deleteContactField', title: 'A field', path: { key: 'seats' } },
  {
    operation: 'importContacts',
    title: 'Contacts as JSON',
    body: {
      contacts: [
        { phone: '14155550146', name: 'Alan Turing' },
        { phone: 'unknown', name: 'Nobody' },
      ],
    },
    as: 'import',
  },
  {
    operation: 'getImport',
    title: 'A finished import with a refused row',
    path: { id: '<import.data.id>' },
    until: { 'data.status': 'completed' },
  },

  {
    operation: 'createGroup',
    title: 'A group',
    body: { name: 'Buyers', description: 'Everyone who has bought' },
    as: 'group',
  },
  { operation: 'createGroup', title: 'The name is in use', body: { name: 'Buyers' }, status: 409 },
  {
    operation: 'addToGroup',
    title: 'A contact',
    path: { groupId: '<group.data.id>' },
    body: { contactId: '<ada.data.id>' },
  },
  {
    operation: 'addAllToGroup',
    title: 'Two contacts',
    path: { groupId: '<group.data.id>' },
    body: { contactIds: ['<grace.data.id>', '<konrad.data.id>'] },
  },
  { operation: 'getGroup', title: 'A group', path: { groupId: '<group.data.id>' } },
  { operation: 'listGroups', title: 'All groups' },
  {
    operation: 'updateGroup',
    title: 'Another description',
    path: { groupId: '<group.data.id>' },
    body: { description: 'Everyone who has bought this year' },
  },

  {
    operation: 'previewAudience',
    title: 'Customers with a plan, without those who got a message in the last week',
    body: {
      condition: {
        all: [
          { field: 'fields.plan', operator: 'is', value: 'pro' },
          { not: { field: 'lastOutboundAt', operator: 'inLastDays', value: 7 } },
        ],
      },
    },
  },
  {
    operation: 'createAudience',
    title: 'An audience',
    body: {
      name: 'Customers abroad',
      condition: {
        all: [
          { field: 'tags', operator: 'has', value: 'customer' },
          { field: 'country', operator: 'isNot', value: 'DE' },
        ],
      },
    },
    as: 'audience',
  },
  {
    operation: 'createAudience',
    title: 'A part of the condition is invalid',
    body: {
      name: 'Customers in summer',
      condition: { all: [{ field: 'createdAt', operator: 'after', value: 'June' }] },
    },
    status: 400,
  },
  { operation: 'listAudiences', title: 'All audiences' },
  { operation: 'getAudience', title: 'An audience', path: { id: '<audience.data.id>' } },
  {
    operation: 'updateAudience',
    title: 'Another name',
    path: { id: '<audience.data.id>' },
    body: { name: 'Customers outside Germany' },
  },
  { operation: 'deleteAudience', title: 'An audience', path: { id: '<audience.data.id>' } },

  {
    operation: 'createConsent',
    title: 'Consent by form',
    body: {
      ...{ contactId: '<ada.data.id>', purpose: 'marketing', decision: 'granted', source: 'form' },
      ...{ wording: 'Send me offers, at most two a week.', wordingVersion: '2026-11' },
      ...{ ip: '203.0.113.7', url: 'https://shop.example/newsletter', decidedAt: '<in -3 days>' },
    },
  },
  {
    operation: 'createConsent',
    title: 'The time is in the future',
    body: { phone: '14155550145', purpose: 'marketing', decision: 'granted', decidedAt: '2999-01-01T00:00:00Z' },
    status: 400,
  },
  { operation: 'listConsents', title: 'Consent to marketing', query: { purpose: 'marketing' } },
  { operation: 'getContactConsent', title: 'A contact', path: { id: '<ada.data.id>' } },
  {
    operation: 'requestConsent',
    title: 'A template with a button',
    body: {
      ...{ contactId: '<ada.data.id>', purpose: 'marketing', templateName: 'hello_world', language: 'en_US' },
      ...{ buttonLabel: 'Sign me up', wording: 'Send me offers, at most two a week.', wordingVersion: '2026-11' },
    },
  },
  {
    operation: 'requestConsent',
    title: 'The person was asked less than 30 days ago',
    body: { contactId: '<ada.data.id>', purpose: 'marketing', templateName: 'hello_world', language: 'en_US' },
    status: 409,
  },

  {
    operation: 'estimateCampaign',
    title: 'A template without parameters',
    body: { name: 'Spring sale', templateName: 'hello_world', language: 'en_US', groupId: '<group.data.id>' },
    stable: { data: { balance: 100 } },
  },
  {
    operation: 'createCampaign',
    title: 'A template with a value for each member',
    body: {
      name: 'Order updates',
      templateName: 'order_update',
      language: 'en_US',
      groupId: '<group.data.id>',
      components: ORDER,
      variables: { order: 'https://shop.example/orders' },
      memberVariables: [{ phone: '14155550145', variables: { order: 'https://shop.example/orders/A-1001' } }],
      shortenLinks: true,
    },
    as: 'campaign',
  },
  {
    operation: 'createCampaign',
    title: 'The template does not exist',
    body: { name: 'Order updates', templateName: 'order_updates', language: 'en_US', groupId: '<group.data.id>' },
    status: 404,
  },
  {
    operation: 'getCampaign',
    title: 'A completed campaign',
    path: { id: '<campaign.data.id>' },
    until: { 'data.status': 'completed', 'data.counts.delivered': 3 },
  },
  {
    operation: 'listCampaignMessages',
    title: 'Delivered messages',
    path: { id: '<campaign.data.id>' },
    query: { status: 'delivered', limit: 1 },
    as: 'campaignMessages',
  },
  {
    operation: 'listMessageLinks',
    title: 'A message with one short link',
    path: { messageId: '<campaignMessages.data.messages.0.id>' },
    as: 'messageLinks',
    mask: { 'data.0.shortUrl': 'https://messages.example.com/l/h7Kd93Lq2Z' },
  },
  {
    operation: 'getCampaignResults',
    title: 'Results of a completed campaign',
    path: { id: '<campaign.data.id>' },
    mask: { 'data.byHour.0.start': '2026-11-24T08:00:00.000Z' },
  },
  {
    operation: 'exportCampaignRecipients',
    title: 'Recipients of a completed campaign',
    path: { id: '<campaign.data.id>' },
  },
  {
    operation: 'createCampaign',
    body: {
      name: 'Spring sale',
      templateName: 'hello_world',
      language: 'en_US',
      groupId: '<group.data.id>',
      scheduledAt: '<in 2 days>',
    },
    as: 'sale',
  },
  { operation: 'listCampaigns', title: 'Scheduled campaigns', query: { status: 'scheduled' } },
  {
    operation: 'updateCampaign',
    title: 'A new name and start time',
    path: { id: '<sale.data.id>' },
    body: { name: 'Summer sale', scheduledAt: '<in 2 days>' },
  },
  {
    operation: 'testCampaign',
    title: 'A test to one number',
    path: { id: '<sale.data.id>' },
    body: { to: ['14155550145'] },
  },
  { operation: 'pauseCampaign', title: 'A scheduled campaign', path: { id: '<sale.data.id>' } },
  { operation: 'resumeCampaign', title: 'A paused campaign', path: { id: '<sale.data.id>' } },
  { operation: 'cancelCampaign', title: 'A scheduled campaign', path: { id: '<sale.data.id>' } },
  { operation: 'cancelCampaign', title: 'The campaign has ended', path: { id: '<sale.data.id>' }, status: 409 },

  {
    operation: 'createAutomation',
    title: 'A reply, and a template an hour later',
    body: {
      name: 'Welcome',
      keyword: 'start',
      steps: [
        { type: 'send_reply', message: 'Hello {{contact.name}}, welcome!' },
        { type: 'wait', seconds: 3600 },
        { type: 'send_template', templateName: 'hello_world', language: 'en_US' },
      ],
    },
    as: 'automation',
  },
  {
    operation: 'createAutomation',
    title: 'Another automation has this keyword',
    body: { name: 'Start', keyword: 'START', steps: [{ type: 'wait', seconds: 60 }] },
    status: 409,
  },
  { operation: 'listAutomations', title: 'All automations' },
  { operation: 'getAutomation', title: 'An automation', path: { id: '<automation.data.id>' } },
  {
    operation: 'updateAutomation',
    title: 'Other steps',
    path: { id: '<automation.data.id>' },
    body: {
      steps: [
        { type: 'wait', seconds: 3600 },
        { type: 'send_template', templateName: 'hello_world', language: 'en_US' },
      ],
    },
  },
  {
    operation: 'triggerAutomation',
    title: 'A contact by number',
    path: { id: '<automation.data.id>' },
    body: { phone: '14155550145', variables: { order: 'A-1001' } },
    as: 'run',
  },
  {
    operation: 'listAutomationRuns',
    title: 'A waiting run',
    path: { id: '<automation.data.id>' },
    until: { 'data.runs.0.status': 'waiting' },
    as: 'runs',
  },
  {
    operation: 'cancelAutomationRun',
    title: 'A waiting run',
    path: { id: '<automation.data.id>', runId: '<runs.data.runs.0.id>' },
  },
  { operation: 'deleteAutomation', title: 'An automation', path: { id: '<automation.data.id>' } },

  {
    operation: 'removeFromGroup',
    title: 'A contact',
    path: { groupId: '<group.data.id>' },
    body: { contactId: '<ada.data.id>' },
  },
  {
    operation: 'removeAllFromGroup',
    title: 'Two contacts',
    path: { groupId: '<group.data.id>' },
    body: { contactIds: ['<grace.data.id>', '<konrad.data.id>'] },
  },
  { operation: 'deleteGroup', title: 'A group', path: { groupId: '<group.data.id>' } },
  { operation: 'deleteContact', title: 'A contact', path: { id: '<ada.data.id>' } },
  { operation: 'getContact', title: 'A deleted contact', path: { id: '<ada.data.id>' }, status: 404 },
  { operation: 'deleteContacts', title: 'Two contacts', body: { contactIds: ['<grace.data.id>', '<konrad.data.id>'] } },
];
