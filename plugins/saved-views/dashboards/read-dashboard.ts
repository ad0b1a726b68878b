import { BadRequest, isObject, type Request } from "rowhouse/plugin-api";
import { sendsJson } from "../read-view.js";
import type { DashboardFacts } from "./store.js";

const LONGEST_NAME = 100;
const MEMBERS = ["name", "private", "views"];

/** What a request wants of a dashboard. Members that it leaves out keep their value. */
export interface WantedDashboard extends Partial<DashboardFacts> {
  /** The ids of its views, in order. */
  readonly views?: readonly string[];
  /** The button of a form: `add`, `remove`, `up`, `down` or `save`. */
  readonly action?: string;
  /** The view that the button is about. */
  readonly view?: string;
}

/** Reads JSON or a form. @throws BadRequest */
export async function readDashboard(request: Request): Promise<WantedDashboard> {
  if (!sendsJson(request)) {
    const { fields } = await request.form();
    const name = fields.get("name");
    const [action = "", view = ""] = (fields.get("action") ?? "save").split(":", 2);
    return {
      ...(name !== null && { name: checkedName(name), isPrivate: fields.get("shared") === null }),
      action,
      view: view || (fields.get("view") ?? ""),
    };
  }
  const document = await request.json();
  if (!isObject(document)) throw new BadRequest("The body must be a JSON object");
  const unknown = Object.keys(document).find((key) => !MEMBERS.includes(key));
  if (unknown !== undefined) throw new BadRequest(`Unknown key: ${unknown}. Use ${MEMBERS.join(", ")}`);
  const { name, private: isPrivate, views } = document;
  if (name !== undefined && typeof name !== "string") throw new BadRequest("name must be text");
  if (isPrivate !== undefined && typeof isPrivate !== "boolean")
    throw new BadRequest("private must be true or false");
  if (views !== undefined && !(Array.isArray(views) && views.every((view) => typeof view === "string")))
    throw new BadRequest("views must be a list of the ids of saved views");
  return {
    ...(name !== undefined && { name: checkedName(name) }),
    ...(isPrivate !== undefined && { isPrivate }),
    ...(views !== undefined && { views: views as readonly string[] }),
  };
}

function checkedName(name: string): string {
  const trimmed = name.trim();
  if (trimmed === "") throw new BadRequest("A dashboard needs a name");
  if (trimmed.length > LONGEST_NAME) throw new BadRequest(`Names have at most ${LONGEST_NAME} characters`);
  return trimmed;
}
