/** SQL for the members `m` of a campaign `c`. */
export interface MembersSql {
  join: string;
  condition: string;
}

/** Members of a campaign's only group. Those who joined it after the start get no message. */
const GROUP_MEMBERS: MembersSql = {
  join: 'JOIN group_members m ON m.group_id = c.group_id',
  condition: 'm.added_at <= c.members_at',
};

/** Recipients stored for the campaign, without those who have left all its groups. */
const STORED_RECIPIENTS: MembersSql = {
  join: 'JOIN campaign_recipients m ON m.campaign_id = c.id',
  condition: `(NOT m.from_group OR EXISTS (SELECT FROM group_members g
    WHERE g.group_id = ANY (c.group_ids) AND g.contact_id = m.contact_id AND g.added_at <= c.members_at))`,
};

/** @param groupId null if the campaign's recipients are stored */
export function getMembersKind(groupId: string | null): 'group' | 'stored' {
  return groupId === null ? 'stored' : 'group';
}

/** Builds a statement for each kind of campaign. */
export function buildForMembers<T>(build: (members: MembersSql, suffix: string) => T): Record<'group' | 'stored', T> {
  return { group: build(GROUP_MEMBERS, ''), stored: build(STORED_RECIPIENTS, '-stored') };
}
