import type { Organisation } from '../../../services/auth/src/actions/seed-organisation.ts'

/** The people of the demo, by account. Their names are invented and cover many scripts. */
const staffNames = {
  director1: 'Ingrid Sørbråten',
  manager1: 'Małgorzata Ćwiklińska-Dąb',
  manager2: 'Θεοδώρα Καλλιμάνη',
  supervisor1: 'Željka Horvatinčić',
  supervisor2: 'Олександра Гнатенко',
  supervisor3: 'יעל גרינשטיין',
  supervisor4: 'Bích Hạnh Nguyễn',
}
type StaffAccount = keyof typeof staffNames

/** Six trainees a team, in the order of their accounts. */
const traineeNames = [
  'Zoë Lindqvist-Bäck',
  'Дмитро Кравчишин',
  'Ελπινίκη Ραφτάκη',
  'ليان السمّاك',
  'תמר אלקיים-רוט',
  'मीरा कुलश्रेष्ठ',
  //
  '沈若溪',
  '榎本つむぎ',
  '윤하람',
  'Siân Prydderch',
  'Þórdís Hrafnkelsdóttir',
  'Γεράσιμος Μπαλτάς',
  //
  'Çağla Özdemirci',
  'Łucjan Brzęczkowski',
  'ปาณิสรา ทองใบ',
  'ნათია ღვინიაშვილი',
  'Հասմիկ Դարբինյան',
  'پریسا مهرآیین',
  //
  'José Ángel Ibáñez Peñalver',
  'கயல்விழி மாறன்',
  'Ștefania Țurcanu',
  'Adébísí Ọláwálé',
  'রূপসা চৌধুরানী',
  'Friederike Wilhelmina Schulze-Oberndörffer von Hohenlinden-Tannenfels',
]
const teamSize = 6

export const supervisors = ['supervisor1', 'supervisor2', 'supervisor3', 'supervisor4'] as const
const managerOf: Partial<Record<StaffAccount, StaffAccount>> = {
  supervisor1: 'manager1',
  supervisor2: 'manager1',
  supervisor3: 'manager2',
}

/** The accounts of a team, by the number of its supervisor, which starts at 0. */
export const teamOf = (supervisor: number) =>
  Array.from({ length: teamSize }, (_, index) => `trainee${supervisor * teamSize + index + 1}`)

export const emailOf = (account: string) => `${account}@demo.local`

/** The name of a demo account, `trainee7` for example. */
export function nameOf(account: string): string {
  const name = account.startsWith('trainee')
    ? traineeNames[Number(account.slice('trainee'.length)) - 1]
    : staffNames[account as StaffAccount]
  if (!name) throw new Error(`the demo has no account ${account}`)
  return name
}

const member = (account: string) => ({ name: nameOf(account), email: emailOf(account) })

export const demoAdmin = { name: 'Administrator', email: 'admin@demo.local', password: 'watchline-demo' }

export const organisation: Organisation = {
  admin: demoAdmin,
  people: [
    { ...member('director1'), role: 'director' },
    { ...member('manager1'), role: 'manager' },
    { ...member('manager2'), role: 'manager' },
    ...supervisors.map(account => {
      const manager = managerOf[account]
      return { ...member(account), role: 'supervisor' as const, ...(manager && { manager: emailOf(manager) }) }
    }),
    ...supervisors.flatMap((supervisor, index) =>
      teamOf(index).map(account => ({
        ...member(account),
        role: 'user' as const,
        supervisor: emailOf(supervisor),
      })),
    ),
  ],
  groups: [
    {
      name: 'Warehouse',
      members: ['trainee1', 'trainee2', 'trainee8', 'trainee9', 'trainee15', 'supervisor3'].map(emailOf),
      assigners: [emailOf('supervisor1'), emailOf('supervisor2')],
    },
    { name: 'North region', members: { manager: emailOf('manager1') }, assigners: [emailOf('supervisor1')] },
  ],
}
