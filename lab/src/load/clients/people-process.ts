// The process of the crew: started with the address, told what to do by its parent.
import { serveParent } from '../child-process.ts'
import { createLoadPeople } from './people.ts'

const [url, teams, trainees] = process.argv.slice(2)
const crew = await createLoadPeople(url!, { teams: Number(teams), trainees: Number(trainees) })
serveParent(crew)
