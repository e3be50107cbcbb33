// The process of the load's people. Its arguments are the product's address, teams and trainees a
// team.
import { serveParent } from '../child-process.ts'
import { createLoadPeople } from './load-people.ts'

const [url, teams, trainees] = process.argv.slice(2)
serveParent(await createLoadPeople(url!, { teams: Number(teams), trainees: Number(trainees) }))
