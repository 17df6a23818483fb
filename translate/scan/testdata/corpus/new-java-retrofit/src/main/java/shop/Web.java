package shop;
import org.springframework.web.bind.annotation.*;
@RestController
public class Web {
    @GetMapping("/item/{id}") public String item(@PathVariable long id) { return ""; }
    @DeleteMapping("/item/{id}") public void close(@PathVariable long id) { }
    @RequestMapping(value = "/notification/settings", method = RequestMethod.POST) public void add() { }
}
