import type { Group } from '@watchline/contracts/groups'

/** The origin of a group’s members, in a few words. */
export function describeSource({ source, leader }: Pick<Group, 'source' | 'leader'>): string {
  const name = leader?.name ?? 'somebody'
  switch (source.kind) {
    case 'manual':
      return 'Chosen by hand'
    case 'team':
      return `Team of ${name}${leader?.available ? '' : ', who is no longer a supervisor'}`
    case 'manager':
      return `All teams of ${name}${leader?.available ? '' : ', who is no longer a manager'}`
    case 'claim':
      return `Sign-in with ${source.claim} = ${source.value}`
  }
}

/** The supervisors who may assign, beside directors and administrators. */
export function describeAssigners({ assigners }: Pick<Group, 'assigners'>): string {
  return ['Directors', 'administrators', ...assigners.map(({ name }) => name)].join(', ')
}
