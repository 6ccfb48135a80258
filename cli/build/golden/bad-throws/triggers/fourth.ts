await Promise.reject("a text, not an error");
export default 1;
