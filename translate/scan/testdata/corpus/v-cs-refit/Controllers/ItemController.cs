[ApiController]
[Route("item")]
public class ItemController : ControllerBase
{
    [HttpGet("/item/{id}")]
    public IActionResult Show(long id) => Ok();

    [HttpDelete("{id}")]
    public IActionResult Remove(long id) => Redirect("/item/" + id);
}
