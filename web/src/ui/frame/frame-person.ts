import type { Role } from '@watchline/contracts/people'

/** The person as the header shows them. */
export interface FramePerson {
  id: string
  name: string
  email: string
  picture?: string | null
  role: Role
}
